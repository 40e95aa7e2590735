"""The table service as a process of its own, configured by its environment as in life."""

import os

from services.table import app, config

if __name__ == "__main__":
    app.serve(config.read(os.environ), with_empty_post=True)
