import { decodeGatewayConfiguration } from '../../../src/domain/configuration/whole/decode-gateway-configuration.js';
import type { GatewayConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { settingsOf } from './configuration-settings.js';

const decode = (text: string) =>
  decodeGatewayConfiguration(settingsOf(text), {
    patternFault: () => null,
    lines: () => null,
    root: null,
    isComplete: true,
  });

/** What is said about a text in KDL, each as `severity: message (suggestion)`. */
export const problemsOf = (text: string): string[] =>
  decode(text).problems.map(
    ({ severity, message, suggestion }) => `${severity}: ${message}${suggestion === null ? '' : ` (${suggestion})`}`,
  );

/** The configuration of a text that nothing is to be said about. */
export const soundConfiguration = (text: string): GatewayConfiguration => {
  const { configuration } = decode(text);
  const problems = problemsOf(text);
  if (configuration === null || problems.length > 0) throw new Error(problems.join('\n'));
  return configuration;
};
