/** Major versions of the agent protocol that are spoken. */
export const agentProtocolVersions: readonly number[] = [2];

/** Major version of the configuration format. It moves together with the agent protocol's. */
export const configurationFormatVersion = 2;
