import type { HttpEngineName } from '../../domain/configuration/gateway-configuration.js';
import { agentProtocolVersions, configurationFormatVersion } from '../../domain/status/format-versions.js';
import type { ProgramIdentity } from '../ports/gateway-state.js';

/** Body of /admin/version. */
export interface VersionReport {
  readonly name: string;
  readonly version: string;
  /** Versions of the agent protocol that the gateway speaks. */
  readonly protocol_versions: readonly number[];
  readonly node_version: string;
  /** What speaks HTTP/1.1. */
  readonly http_engine: HttpEngineName;
  readonly config_format_version: number;
  /** Null where the program was not built from a known commit. */
  readonly build_commit: string | null;
}

export const versionReport = (identity: ProgramIdentity, httpEngine: HttpEngineName): VersionReport => ({
  name: identity.name,
  version: identity.version,
  protocol_versions: agentProtocolVersions,
  node_version: identity.nodeVersion,
  http_engine: httpEngine,
  config_format_version: configurationFormatVersion,
  build_commit: identity.buildCommit,
});
