"""What the fuzzer's programs are made of."""
