import type { BodySource } from '../../../../application/ports/gateway/body-source.js';
import type { UpstreamResponse } from '../../../../application/ports/gateway/upstream-client.js';
import type { HeaderList } from '../../../../domain/http/header-list.js';
import type { ResponseLines } from '../../../wire/http1-responses/response-lines.js';

/** A response whose head has come. The list of its fields is made when it is asked for. */
export class ReceivedResponse implements UpstreamResponse {
  readonly status: number;
  readonly received: ResponseLines;
  readonly body: BodySource | null;
  readonly isBodyLate: boolean;
  readonly tunnel = null;

  constructor(status: number, received: ResponseLines, body: BodySource | null, isBodyLate: boolean) {
    this.status = status;
    this.received = received;
    this.body = body;
    this.isBodyLate = isBodyLate;
  }

  get headers(): HeaderList {
    return this.received.fields;
  }
}
