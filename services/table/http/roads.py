"""Roads: of a table, of one of its shoes, and as they grow, for whoever hangs them over the table."""

from litestar.response import Stream

from services.table import recall, views
from services.table.croupier import About
from services.table.http.log import SSE
from services.table.http.lost import found
from services.table.http.route import Place, view
from services.table.http.shoes import ANOTHER_SHOE
from services.table.pit import Pit
from services.table.told import RoadsView


@view("/tables/{table}/roads", tells=RoadsView)
async def show_roads(pit: Pit, place: Place) -> RoadsView:
    """Show the roads of the shoe in play, or of the last one, with what Banker or Player would add to them."""
    return await pit.croupier.view(About(table=place.table), lambda at: views.roads_view(at.table))


@view("/tables/{table}/roads/stream", tells=bytes, media_type=SSE, query=("after", "last_event_id"))
async def stream_roads(pit: Pit, place: Place) -> Stream:
    """Give the roads anew whenever they change: `id` is the place in the log of what changed them, `data` the roads."""
    await show_roads.show(pit, place)
    return Stream(pit.wall.roads(place.table, place.after), media_type=SSE, headers={"Cache-Control": "no-store"})


@view("/tables/{table}/shoes/{shoe}/roads", tells=RoadsView)
async def show_roads_of_shoe(pit: Pit, place: Place) -> RoadsView:
    """Show the roads of a shoe. A coup that is void, or whose settlement is undone, is on none of them."""
    return found(await recall.roads(pit, place.table, place.shoe), "shoe", right=ANOTHER_SHOE)


ROUTES = (show_roads, stream_roads, show_roads_of_shoe)
