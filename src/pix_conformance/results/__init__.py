"""From judgements to verdicts, and from verdicts to the files of a bundle and back."""
