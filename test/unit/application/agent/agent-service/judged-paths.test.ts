import { afterEach, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { samlConfig } from '../../../../support/agent/saml-agent.js';
import { idpKey } from '../../../../support/agent/saml-keys.js';
import { requestEvent, startedTestAgent } from '../../../../support/agent/test-agent.js';
import { chunkEvent } from '../../../../support/shared/agent-events.js';
import { CleanUp } from '../../../../support/shared/clean-up.js';
import { temporaryFolder } from '../../../../support/shared/temporary-folder.js';

/** How often the path is cut out of this URI, which is where each look for its normal form begins. */
const looksFor = async (uri: string, work: () => Promise<void>): Promise<number> => {
  const cuts = vi.spyOn(String.prototype, 'indexOf');
  await work();
  const { contexts, calls } = cuts.mock;
  const looks = calls.filter(([mark], index) => mark === '?' && String(contexts[index]) === uri).length;
  cuts.mockRestore();
  return looks;
};

const cleanUp = new CleanUp();
afterEach(() => cleanUp.run());

const jwt: JsonObject = { 'jwt-secret': 'the secret of a test that nobody else has' };

const agentOf = async (config: JsonObject) => {
  const { agent } = await startedTestAgent(config);
  cleanUp.add(() => agent.stop());
  return agent;
};

const samlAgent = (saml: JsonObject = {}) => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  return agentOf(samlConfig(folder.write('idp.pem', idpKey().certificatePem), saml, jwt));
};

const connection = Symbol('connection');

it.each(['/orders/17?x=/y', '/%6Frders//17', '/a%2Fb'])('the path is normalised once per request: %s', async (uri) => {
  const agent = await samlAgent();
  const looks = await looksFor(uri, async () => {
    const { decision } = await agent.decide({ ...requestEvent(['accept', 'application/json']), uri }, connection);
    expect(decision).toMatchObject({ kind: 'block', status: 401 });
  });
  expect(looks).toBe(1);
});

it('the decision ignores the path of a request to an endpoint, also with its posted form', async () => {
  const agent = await samlAgent({ 'browser-binding': false });
  const uri = '/saml//acs?x';
  const looks = await looksFor(uri, async () => {
    const headers = ['content-type', 'application/x-www-form-urlencoded'];
    const first = { ...requestEvent(headers, 'posted'), method: 'POST', uri };
    expect(await agent.decide(first, connection)).toMatchObject({ needsMore: true });
    const form = chunkEvent('posted', { data: new TextEncoder().encode('other=x'), isLast: true });
    expect((await agent.decide(form, connection)).decision).toMatchObject({ kind: 'block', status: 400 });
  });
  expect(looks).toBe(1);
});

it('the path is not normalised without endpoints and single sign-on', async () => {
  const agent = await agentOf(jwt);
  const uri = '/%6Frders//17';
  const looks = await looksFor(uri, async () => {
    const { decision } = await agent.decide({ ...requestEvent([]), uri }, connection);
    expect(decision).toMatchObject({ kind: 'block', status: 401 });
  });
  expect(looks).toBe(0);
});
