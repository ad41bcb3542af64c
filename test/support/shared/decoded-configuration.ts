import { expect } from 'vitest';
import {
  type DecodedGatewayConfiguration,
  decodeGatewayConfiguration,
} from '../../../src/domain/configuration/whole/decode-gateway-configuration.js';
import type { GatewayConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { settingsOf } from './configuration-settings.js';

const decode = (text: string) =>
  decodeGatewayConfiguration(settingsOf(text), {
    patternFault: () => null,
    lines: () => null,
    root: null,
    isComplete: true,
  });

/** Decodes a text in KDL. A pattern with an opening parenthesis counts as invalid. */
export const decodedText = (text: string) =>
  decodeGatewayConfiguration(settingsOf(text), {
    patternFault: (source) => (source.includes('(') ? 'missing )' : null),
    lines: () => null,
    root: { file: 'gateway.kdl', line: 1, column: 1 },
    isComplete: true,
  });

const problemTexts = ({ problems }: Pick<DecodedGatewayConfiguration, 'problems'>): string[] =>
  problems.map(
    ({ severity, message, suggestion }) => `${severity}: ${message}${suggestion === null ? '' : ` (${suggestion})`}`,
  );

/** The problems of a text in KDL, each as `severity: message (suggestion)`. */
export const problemsOf = (text: string): string[] => problemTexts(decode(text));

/** Expects an error that contains the message, and no configuration. */
export const expectRefusedConfiguration = (text: string, message: string): void => {
  const decoded = decodedText(text);
  const found = problemTexts(decoded);
  expect(
    found.some((one) => one.startsWith('error: ') && one.includes(message)),
    found.join('\n'),
  ).toBe(true);
  expect(decoded.configuration).toBeNull();
};

/** The configuration of a text without problems. */
export const soundConfiguration = (text: string): GatewayConfiguration => {
  const { configuration } = decode(text);
  const problems = problemsOf(text);
  if (configuration === null || problems.length > 0) throw new Error(problems.join('\n'));
  return configuration;
};
