"""scikit-image, unmodified: thresholds, filters, transforms and measurements of Arrays, as of NumPy arrays."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest
from comparison import assert_same

if os.environ.get("SCIPY_ARRAY_API"):
    pytest.skip("SciPy's switch requires another process", allow_module_level=True)
pytest.importorskip("skimage", reason="scikit-image is not installed: dependency group consumers")

from skimage import (
    color,
    exposure,
    feature,
    filters,
    measure,
    metrics,
    morphology,
    restoration,
    segmentation,
    transform,
    util,
)

import xtensor as xp

pytestmark = pytest.mark.filterwarnings("ignore")  # of scikit-image itself: deprecations

RNG = np.random.default_rng(0)
ROW, COLUMN = np.mgrid[0:24, 0:24]
BLOBS = np.exp(-((ROW - 8) ** 2 + (COLUMN - 9) ** 2) / 20) + np.exp(-((ROW - 17) ** 2 + (COLUMN - 16) ** 2) / 12)
IMAGE = np.clip(BLOBS + RNG.normal(size=(24, 24)) * 0.02, 0, 1)
MASK = IMAGE > 0.4
BYTES = (IMAGE * 255).astype(np.uint8)
COLOURS = RNG.uniform(size=(12, 12, 3))
LABELS = measure.label(MASK)
BLUR = np.ones((3, 3)) / 9
TRIANGLE = np.array([[0.0, 0], [1, 0], [0, 1]])

BY_NAME = {
    "threshold": ("isodata", "li", "local", "mean", "minimum", "niblack", "otsu", "sauvola", "yen"),
    "filter": (
        *("butterworth", "farid", "frangi", "gaussian", "hessian", "laplace", "median", "meijering", "prewitt"),
        *("roberts", "sato", "scharr", "sobel", "sobel_h", "unsharp_mask"),
    ),
}

CALLS = {
    **{
        f"threshold_{name}": (lambda a, name=name: getattr(filters, f"threshold_{name}")(a(IMAGE)))
        for name in BY_NAME["threshold"]
    },
    **{name: (lambda a, name=name: getattr(filters, name)(a(IMAGE))) for name in BY_NAME["filter"]},
    "above the threshold": lambda a: a(IMAGE) > filters.threshold_otsu(a(IMAGE)),
    "adjust_gamma": lambda a: exposure.adjust_gamma(a(IMAGE), 2),
    "affine transform": lambda a: transform.AffineTransform.from_estimate(a(TRIANGLE), a(TRIANGLE * 2 + 1)).params,
    "apply_hysteresis_threshold": lambda a: filters.apply_hysteresis_threshold(a(IMAGE), 0.2, 0.5),
    "block_reduce": lambda a: measure.block_reduce(a(IMAGE), (2, 2), np.max),
    "canny": lambda a: feature.canny(a(IMAGE)),
    "clear_border": lambda a: segmentation.clear_border(a(LABELS)),
    "convex_hull_image": lambda a: morphology.convex_hull_image(a(MASK)),
    "corner_harris": lambda a: feature.corner_harris(a(IMAGE)),
    "denoise_nl_means": lambda a: restoration.denoise_nl_means(a(IMAGE)),
    "denoise_tv_chambolle": lambda a: restoration.denoise_tv_chambolle(a(IMAGE)),
    "difference_of_gaussians": lambda a: filters.difference_of_gaussians(a(IMAGE), 1, 3),
    "dilation": lambda a: morphology.dilation(a(BYTES)),
    "downscale_local_mean": lambda a: transform.downscale_local_mean(a(IMAGE), (2, 3)),
    "equalize_adapthist": lambda a: exposure.equalize_adapthist(a(IMAGE)),
    "equalize_hist": lambda a: exposure.equalize_hist(a(IMAGE)),
    "find_boundaries": lambda a: segmentation.find_boundaries(a(LABELS)),
    "hausdorff_distance": lambda a: metrics.hausdorff_distance(a(MASK), a(MASK.T)),
    "histogram": lambda a: exposure.histogram(a(BYTES)),
    "hog": lambda a: feature.hog(a(IMAGE)),
    "img_as_float": lambda a: util.img_as_float(a(BYTES)),
    "img_as_ubyte": lambda a: util.img_as_ubyte(a(IMAGE)),
    "label": lambda a: measure.label(a(MASK)),
    "label2rgb": lambda a: color.label2rgb(a(LABELS), a(IMAGE)),
    "local_binary_pattern": lambda a: feature.local_binary_pattern(a(BYTES), 8, 1),
    "match_histograms": lambda a: exposure.match_histograms(a(IMAGE), a(IMAGE.T)),
    "match_template": lambda a: feature.match_template(a(IMAGE), a(IMAGE[4:10, 4:10])),
    "moments": lambda a: measure.moments(a(IMAGE)),
    "opening": lambda a: morphology.opening(a(MASK)),
    "peak_local_max": lambda a: feature.peak_local_max(a(IMAGE)),
    "perimeter": lambda a: measure.perimeter(a(MASK)),
    "profile_line": lambda a: measure.profile_line(a(IMAGE), (2, 3), (20, 18)),
    "pyramid_reduce": lambda a: transform.pyramid_reduce(a(IMAGE)),
    "radon": lambda a: transform.radon(a(IMAGE), circle=False),
    "rank filter": lambda a: filters.rank.median(a(BYTES), np.ones((3, 3), np.uint8)),
    "reconstruction": lambda a: morphology.reconstruction(a(IMAGE) * 0.5, a(IMAGE)),
    "regionprops": lambda a: [
        (r.area, r.centroid, r.bbox, r.mean_intensity) for r in measure.regionprops(a(LABELS), a(IMAGE))
    ],
    "remove_small_objects": lambda a: morphology.remove_small_objects(a(MASK), max_size=5),
    "rescale_intensity": lambda a: exposure.rescale_intensity(a(IMAGE), (0.0, 0.5)),
    "resize": lambda a: transform.resize(a(IMAGE), (12, 30)),
    "rgb2gray": lambda a: color.rgb2gray(a(COLOURS)),
    "rgb2hsv": lambda a: color.rgb2hsv(a(COLOURS)),
    "rgb2lab": lambda a: color.rgb2lab(a(COLOURS)),
    "richardson_lucy": lambda a: restoration.richardson_lucy(a(IMAGE), a(BLUR), 3),
    "rotate": lambda a: transform.rotate(a(IMAGE), 30),
    "shannon_entropy": lambda a: measure.shannon_entropy(a(IMAGE)),
    "slic": lambda a: segmentation.slic(a(COLOURS), n_segments=6),
    "structural_similarity": lambda a: metrics.structural_similarity(a(IMAGE), a(IMAGE.T), data_range=1),
    "view_as_blocks": lambda a: util.view_as_blocks(a(IMAGE), (4, 4)),
    "warp": lambda a: transform.warp(a(IMAGE), transform.AffineTransform(translation=(1, 2))),
    "white_tophat": lambda a: morphology.white_tophat(a(BYTES), morphology.disk(2)),
    "wiener": lambda a: restoration.wiener(a(IMAGE), a(BLUR), 0.1),
}

OF_BUFFERS = {
    "denoise_bilateral": lambda a: restoration.denoise_bilateral(a(IMAGE)),
    "find_contours": lambda a: measure.find_contours(a(IMAGE), 0.4),
    "skeletonize": lambda a: morphology.skeletonize(a(MASK)),
    "threshold_multiotsu": lambda a: filters.threshold_multiotsu(a(IMAGE)),
    "unwrap_phase": lambda a: restoration.unwrap_phase(a(IMAGE * 8)),
}
"""Functions whose Cython code reads a buffer, which a class written in Python has since version 3.12."""

OF_NUMPY_ARRAYS = {
    "hough_line": lambda a: transform.hough_line(a(MASK)),
    "regionprops_table": lambda a: measure.regionprops_table(a(LABELS), a(IMAGE), properties=("mean_intensity",)),
    "threshold_triangle": lambda a: filters.threshold_triangle(a(IMAGE)),
    "view_as_windows": lambda a: util.view_as_windows(a(IMAGE), (3, 3)),
    "warp by a matrix": lambda a: transform.warp(a(IMAGE), a(np.eye(3))),
    "watershed": lambda a: segmentation.watershed(-a(IMAGE), a(LABELS)),
}
"""Functions that test for NumPy's class, or that divide an integer of NumPy in place."""


def to_numpy(values):
    return xp.asarray(values, copy=True).numpy()


@pytest.mark.parametrize("name", CALLS)
def test_result_is_that_of_numpy_arrays(host_device, name):
    result, expected = (CALLS[name](convert) for convert in (lambda values: xp.asarray(values, copy=True), np.array))
    assert_same(result, expected, rtol=1e-9)


@pytest.mark.parametrize("name", OF_BUFFERS)
def test_function_of_buffers_works_where_arrays_have_one(host_device, name):
    call = OF_BUFFERS[name]
    expected = call(np.array)
    if sys.version_info >= (3, 12):
        assert_same(call(lambda values: xp.asarray(values, copy=True)), expected, rtol=1e-9)
    else:
        with pytest.raises((TypeError, ValueError)):
            call(xp.asarray)
    assert_same(call(to_numpy), expected)


@pytest.mark.parametrize("name", OF_NUMPY_ARRAYS)
def test_function_of_numpy_arrays_alone_refuses(host_device, name):
    call = OF_NUMPY_ARRAYS[name]
    with pytest.raises((TypeError, IndexError)):
        call(xp.asarray)
    assert_same(call(to_numpy), call(np.array))
