"""The whole house on one machine, and the command line."""
