"""Models that others have trained, by scikit-learn, XGBoost or LightGBM, as ONNX files of which a
circuit can be made."""

__all__: list[str] = []
