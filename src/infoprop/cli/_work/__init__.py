"""What is computed: classifiers and selectors out of options, rows that judge, findings."""
