"""What the author of a variant imports: `from pix_conformance.sandbox.variants.common import *`."""

from pix_conformance.sandbox.difference import *
from pix_conformance.sandbox.guards import *
from pix_conformance.sandbox.variants.common.checks import *
from pix_conformance.sandbox.variants.common.events import *
from pix_conformance.sandbox.variants.common.http import *
from pix_conformance.sandbox.variants.common.ids import *
from pix_conformance.sandbox.variants.common.network import *
