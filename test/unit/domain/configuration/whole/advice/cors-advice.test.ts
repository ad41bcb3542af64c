import { describe, expect, it } from 'vitest';
import { decodeGatewayConfiguration } from '../../../../../../src/domain/configuration/whole/decode-gateway-configuration.js';
import { settingsOf } from '../../../../../support/shared/configuration-settings.js';
import { configurationText } from '../../../../../support/shared/configuration-text.js';

const advised = (text: string): readonly string[] =>
  decodeGatewayConfiguration(settingsOf(text), {
    patternFault: () => null,
    lines: () => null,
    root: { file: 'gateway.kdl', line: 1, column: 1 },
    isComplete: true,
  })
    .advise()
    .filter(({ id }) => id === 'cors-of-untrusted-origins')
    .map(({ message }) => message);

const inDefaults = (members: string): string =>
  configurationText({ more: `defaults { policies { cors { ${members} } } }` });

describe('advice about cors', () => {
  it.each([
    ['allow-origins "https://*.com"', 'the origin "https://*.com" includes every site under .com'],
    ['allow-origins "http://*.io:8080"', 'the origin "http://*.io:8080" includes every site under .io'],
    [
      'allow-origins "http://app.example.com" "https://app.example.com"; allow-credentials #true',
      'the origin "http://app.example.com" lets anyone on the path to such a page read responses',
    ],
    [
      'allow-origins "http://localhost.example.com"; allow-credentials #true',
      'the origin "http://localhost.example.com" lets anyone',
    ],
  ])('warns once about %s', (members, message) => {
    const found = advised(inDefaults(members));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });

  it.each([
    'allow-origins "*"',
    'allow-origins "https://*.example.com" "http://app.example.com"',
    'allow-origins "https://*.localhost" "https://*.internal" "http://*.test:3000"',
    'allow-origins "http://localhost:3000" "http://a.localhost" "http://127.0.0.1" "http://[::1]:3000"; allow-credentials #true',
    'allow-origins "capacitor://localhost"; allow-credentials #true',
  ])('does not warn about %s', (members) => {
    expect(advised(inDefaults(members))).toEqual([]);
  });
});
