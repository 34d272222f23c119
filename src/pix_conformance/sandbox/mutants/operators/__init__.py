"""What mutants are made with: operators change one behavior of the reference, guards say when."""
