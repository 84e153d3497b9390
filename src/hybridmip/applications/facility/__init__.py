"""Facility location: which facilities to open, and who serves whom."""

from hybridmip.applications.facility.location import FacilityLocation
from hybridmip.applications.facility.result import FacilityResult

__all__ = ["FacilityLocation", "FacilityResult"]
