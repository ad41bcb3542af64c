import type { TargetClient, TargetClientSettings } from '../../../application/ports/upstream-client.js';
import { CoreTargetClient } from './core/core-target-client.js';
import { Http2TargetClient } from './http2/http2-target-client.js';
import { UndiciTargetClient } from './undici/undici-target-client.js';

/** The connections to one address, as its upstream has them. */
export const createTargetClient = (settings: TargetClientSettings): TargetClient => {
  if (settings.httpVersion === '2') return new Http2TargetClient(settings);
  return settings.engine === 'core' ? new CoreTargetClient(settings) : new UndiciTargetClient(settings);
};
