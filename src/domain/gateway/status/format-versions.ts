/** Supported major versions of the agent protocol. */
export const agentProtocolVersions: readonly number[] = [2];

/** Major version of the configuration format. It changes together with the agent protocol. */
export const configurationFormatVersion = 2;
