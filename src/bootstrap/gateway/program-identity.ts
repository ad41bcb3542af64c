import type { ProgramIdentity } from '../../application/ports/gateway/gateway-state.js';
import type { SocketLayerChoice } from '../../application/ports/shared/socket-layer-choice.js';
import { programBuildCommit, programVersion } from '../shared/version.js';

/** What the gateway says of itself. `startedAtMs`: milliseconds since the Unix epoch. */
export const programIdentity = (startedAtMs: number, layers: SocketLayerChoice): ProgramIdentity => ({
  name: 'portcullis',
  version: programVersion,
  buildCommit: programBuildCommit,
  nodeVersion: process.version,
  startedAtMs,
  get socketLayer() {
    return layers.name;
  },
});
