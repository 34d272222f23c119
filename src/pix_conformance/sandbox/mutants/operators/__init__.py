"""What the author of a mutant imports: `from pix_conformance.sandbox.mutants.operators import *`."""

from pix_conformance.sandbox.difference import *
from pix_conformance.sandbox.guards import *
from pix_conformance.sandbox.mutants.operators.events import *
from pix_conformance.sandbox.mutants.operators.fields import *
from pix_conformance.sandbox.mutants.operators.idempotency import *
from pix_conformance.sandbox.mutants.operators.network import *
from pix_conformance.sandbox.mutants.operators.ownership import *
from pix_conformance.sandbox.mutants.operators.pairs import *
from pix_conformance.sandbox.mutants.operators.replicas import *
from pix_conformance.sandbox.mutants.operators.responses import *
from pix_conformance.sandbox.mutants.operators.simultaneous import *
from pix_conformance.sandbox.mutants.operators.states import *
from pix_conformance.sandbox.mutants.operators.values import *
