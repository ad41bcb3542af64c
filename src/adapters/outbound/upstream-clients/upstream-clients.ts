import type { TargetClient, TargetClientSettings } from '../../../application/ports/gateway/upstream-client.js';
import { CoreTargetClient } from './core/core-target-client.js';
import { Http2TargetClient } from './http2/http2-target-client.js';

/** Creates the client for one address, with the upstream's protocol. */
export const createTargetClient = (settings: TargetClientSettings): TargetClient =>
  settings.httpVersion === '2' ? new Http2TargetClient(settings) : new CoreTargetClient(settings);
