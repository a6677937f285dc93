"""All programs in one run: starting processes takes longer than most of them."""

import sys
import warnings

from tests.distributed.programs import chainermn_names, collectives, model_parallel, training

if __name__ == "__main__":
    warnings.simplefilter("error")
    collectives.main(int(sys.argv[1]))
    model_parallel.main()
    training.main()
    chainermn_names.main()
