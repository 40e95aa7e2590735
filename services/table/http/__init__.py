"""The table service's REST side: requests into commands and views, and back; it decides nothing."""
