import { agentProtocolVersions, configurationFormatVersion } from '../../../domain/gateway/status/format-versions.js';
import type { ProgramIdentity } from '../../ports/gateway/gateway-state.js';

/** Body of /admin/version. */
export interface VersionReport {
  readonly name: string;
  readonly version: string;
  /** Versions of the agent protocol that the gateway speaks. */
  readonly protocol_versions: readonly number[];
  readonly node_version: string;
  readonly config_format_version: number;
  /** Null where the program was not built from a known commit. */
  readonly build_commit: string | null;
}

export const versionReport = (identity: ProgramIdentity): VersionReport => ({
  name: identity.name,
  version: identity.version,
  protocol_versions: agentProtocolVersions,
  node_version: identity.nodeVersion,
  config_format_version: configurationFormatVersion,
  build_commit: identity.buildCommit,
});
