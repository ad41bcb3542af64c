import { connect } from 'node:tls';
import type { OpenListener } from '../../../src/application/ports/gateway/http-engine.js';
import type { CleanUp } from '../shared/clean-up.js';
import { CoreClient } from './core-client.js';

/** Connects to a listener by TLS, whoever that is. */
export const tlsClient = (cleanUp: CleanUp, listener: OpenListener): CoreClient => {
  const { host, port } = listener.address();
  const socket = connect({ host, port, rejectUnauthorized: false });
  socket.setNoDelay(true);
  cleanUp.add(() => void socket.destroy());
  return new CoreClient(socket);
};
