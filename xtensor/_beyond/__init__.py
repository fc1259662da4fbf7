"""Functions beyond the standard that consumers look for, in NumPy's names and signatures.

scikit-learn, SciPy and xarray ask the namespace for them by name, and use the host, or fail, without them. Each is written
once over the standard's functions, so it runs on every device. Their modules are imported at their first use.

``cross`` of the extension ``linalg`` is offered in the main namespace, too, where xarray looks for it.
"""
