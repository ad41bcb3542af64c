import type { BodySource } from '../../../../application/ports/gateway/body-source.js';
import type { UpstreamFailure } from '../../../../application/ports/gateway/upstream-client.js';
import { bodyFailure } from './upstream-failures.js';

/** Who waits for the first piece of a body; told of one of the two, once. */
export interface FirstPieceTaker {
  /** @param first null: the body has no octets */
  firstPiece(body: BodySource, first: Uint8Array | null): void;
  bodyFailed(failure: UpstreamFailure): void;
}

/** Reads the first piece of a body: the taker is told at once where it is there. */
export const readFirstPiece = (body: BodySource, taker: FirstPieceTaker): void => {
  let first: Uint8Array | null | Promise<Uint8Array | null>;
  try {
    first = body.read();
  } catch (error) {
    taker.bodyFailed(bodyFailure(error));
    return;
  }
  if (!(first instanceof Promise)) taker.firstPiece(body, first);
  else {
    first.then(
      (piece) => taker.firstPiece(body, piece),
      (error: unknown) => taker.bodyFailed(bodyFailure(error)),
    );
  }
};
