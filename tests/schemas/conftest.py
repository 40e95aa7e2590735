"""Property tests here have no deadline: a busy machine is not a broken rule."""

from hypothesis import HealthCheck, settings

settings.register_profile("schemas", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("schemas")
