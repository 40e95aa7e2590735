"""What the table service counts for Prometheus beside its requests; every label is one of a few words."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from services.table.pit import Pit


class Gauges:
    """The service's own counts."""

    def __init__(self, registry: CollectorRegistry, pit: Pit) -> None:
        self._refusals = Counter(
            "shoelog_refusals", "Commands that the rules refused, by why.", ["code"], registry=registry
        )
        queued = Gauge("shoelog_journal_queued", "Commands that wait to be written.", registry=registry)
        queued.set_function(lambda: pit.journal.queued)
        registry.register(_Standing(pit))

    def count_refusal(self, code: str) -> None:
        """Count a no of the rules."""
        self._refusals.labels(code).inc()


class _Standing(Collector):
    """How the log stands with each of its witnesses."""

    def __init__(self, pit: Pit) -> None:
        self._pit = pit

    def describe(self) -> Iterator[Metric]:
        """Name what will be counted: the pit is not staffed yet."""
        yield self._family()

    def collect(self) -> Iterator[Metric]:
        """Give each witness of the policy."""
        family = self._family()
        for name, cosigns in self._pit.witnesses.standing.items():
            family.add_metric([name], float(cosigns))
        yield family

    def _family(self) -> GaugeMetricFamily:
        meaning = "1 when the witness cosigned what it was shown last."
        return GaugeMetricFamily("shoelog_log_witness", meaning, labels=["witness"])
