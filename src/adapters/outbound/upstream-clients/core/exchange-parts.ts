import type { ConnectionUser } from '../pool/target-connections.js';
import type { FirstPieceTaker } from './first-piece.js';
import type { BodyOrigin } from './http1-response-body.js';
import type { ResponseSink } from './http1-response-reader.js';
import type { BodySending } from './request-body-sender.js';
import type { ResponseTaker } from './streamed-response.js';
import type { ConnectionHolder, UpstreamConnection } from './upstream-connection.js';

/** All that an exchange is to those that it works with. One object is all of it, so that a request costs no other. */
export interface ExchangeParts
  extends ConnectionUser<UpstreamConnection>,
    ConnectionHolder,
    ResponseSink,
    BodySending,
    FirstPieceTaker,
    BodyOrigin,
    ResponseTaker {}
