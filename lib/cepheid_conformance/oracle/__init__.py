"""Reference values, one module per op family, written from mathematics and documentation."""
