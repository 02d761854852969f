"""Small vision transformers of every naming family, in plain PyTorch on the tensors of their files."""
