import { describe, expect, it } from 'vitest';
import { decodeGatewayConfiguration } from '../../../../../src/domain/configuration/whole/decode-gateway-configuration.js';
import { settingsOf } from '../../../../support/shared/configuration-settings.js';
import { configurationText } from '../../../../support/shared/configuration-text.js';

const listeners = `listeners { listener "x" { address "[::]:1"; protocol "https"; tls {
  cert-file "/c"; key-file "/k"; client-auth "require"; ca-cert-file "/ca"; forward-client-cert-header "X-Client-Cert"
} } }`;

const mtls = 'mtls { enabled #true; ca-cert-path "/ca" }';

/** The problems of a route with two agents with these options, in order. */
const told = (first: string, second: string, order = '"first" "second"'): readonly string[] => {
  const text = configurationText({
    listeners,
    agents: `agents {
      agent "first" { transport "embedded"; config { ${first} } }
      agent "second" { socket "/s"; config { ${second} } }
    }`,
    routes: `routes { route "r" { matches { path-prefix "/" }; upstream "echo"; agents ${order} } }`,
  });
  const lines = { patternFault: () => null, lines: () => null, root: null, isComplete: true };
  return decodeGatewayConfiguration(settingsOf(text), lines).problems.map(
    ({ severity, message, suggestion }) => `${severity}: ${message} (${suggestion})`,
  );
};

const taken = (agent: string, taker: string): string =>
  `warning: agent "${agent}" receives no client certificate on route "r": agent "${taker}" removes it first (let one of them check certificates, or write forward-credentials #true in the config of agent "${taker}")`;

describe('two agents of a route that check client certificates', () => {
  it('cause a warning, because the first removes the certificate', () => {
    expect(told(mtls, mtls)).toEqual([taken('second', 'first')]);
    expect(told(mtls, mtls, '"second" "first"')).toEqual([taken('first', 'second')]);
    expect(told(`forward-credentials #false; ${mtls}`, mtls)).toEqual([taken('second', 'first')]);
  });

  it('are valid if the first forwards the certificate', () => {
    expect(told(`forward-credentials #true; ${mtls}`, mtls)).toEqual([]);
    expect(told(mtls, `forward-credentials #true; ${mtls}`)).toEqual([taken('second', 'first')]);
  });

  it('are valid if only one checks certificates', () => {
    const keys = 'api-keys "key:alice"';
    expect(told(mtls, keys)).toEqual([]);
    expect(told(keys, mtls)).toEqual([]);
    expect(told(mtls, mtls, '"second"')).toEqual([]);
  });

  it('are valid with different headers', () => {
    const other = 'mtls { enabled #true; ca-cert-path "/ca"; client-cert-header "X-Other-Cert" }';
    expect(told(mtls, other).join()).not.toContain('removes it');
  });
});
