"""A model for MLServer: the share of each amino acid in a sequence. It waits before each answer, so that it can be killed in between."""

import asyncio
import os

import numpy as np
from mlserver import MLModel
from mlserver.codecs import NumpyCodec, StringCodec
from mlserver.types import InferenceRequest, InferenceResponse

letters = "ACDEFGHIKLMNPQRSTVWY"


class Composition(MLModel):
    async def load(self) -> bool:
        return True

    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        await asyncio.sleep(float(os.environ.get("ANSWER_AFTER_SECONDS", "0")))
        texts = StringCodec.decode_input(payload.inputs[0])
        rows = [[text.count(letter) / len(text) for letter in letters] for text in texts]
        vectors = np.array(rows, dtype=np.float32)
        return InferenceResponse(model_name=self.name, outputs=[NumpyCodec.encode_output("embeddings", vectors)])
