"""The table service as a process of its own, configured by its environment as in life."""

import os

from services.table import app

if __name__ == "__main__":
    app.serve(os.environ, with_empty_post=True)
