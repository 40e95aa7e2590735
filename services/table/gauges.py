"""What the table service counts for Prometheus beside its requests; every label is one of a few words."""

from prometheus_client import CollectorRegistry, Counter, Gauge

from services.table.pit import Pit


class Gauges:
    """The service's own counts."""

    def __init__(self, registry: CollectorRegistry, pit: Pit) -> None:
        self._refusals = Counter(
            "shoelog_refusals", "Commands that the rules refused, by why.", ["code"], registry=registry
        )
        queued = Gauge("shoelog_journal_queued", "Commands that wait to be written.", registry=registry)
        queued.set_function(lambda: pit.journal.queued)

    def count_refusal(self, code: str) -> None:
        """Count a no of the rules."""
        self._refusals.labels(code).inc()
