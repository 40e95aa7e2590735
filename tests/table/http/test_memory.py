"""A service whose database was taken back under its hands takes no command, and says why."""

import asyncpg

from tests.databases import complete
from tests.table.http.conftest import MakeService
from tests.table.http.service import open_table, opening
from tests.table.office import take_back


def test_a_running_service_stops_serving_a_log_that_was_taken_back(make_service: MakeService) -> None:
    service = make_service()
    desk = service.client()
    open_table(desk)
    assert desk.post("/log/checkpoint").is_success

    async def cheat() -> None:
        superuser = await asyncpg.connect(service.database.superuser)
        await take_back(superuser, 1)
        await superuser.close()

    complete(cheat())
    service.wait_for("notary_refuses")

    signing = desk.post("/log/checkpoint")
    assert (signing.status_code, signing.json()["type"]) == (503, "urn:shoelog:problem:log-mismatch")
    command = desk.post("/tables", opening("t-late"))
    assert (command.status_code, command.json()["type"]) == (503, "urn:shoelog:problem:log-mismatch")
    ready = desk.http.get("/readyz")
    assert ready.status_code == 503
    assert "is not the one that was signed" in ready.json()["detail"]
    assert "shoelog log succeed" in ready.json()["detail"]
