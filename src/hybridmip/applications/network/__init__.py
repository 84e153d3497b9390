"""Networks in which every opened arc has a price."""

from hybridmip.applications.network.example import example_network
from hybridmip.applications.network.fixed_charge import FixedChargeNetwork
from hybridmip.applications.network.names import Commodity, Node
from hybridmip.applications.network.result import NetworkResult

__all__ = ["Commodity", "FixedChargeNetwork", "NetworkResult", "Node", "example_network"]
