import { afterEach, describe, expect } from 'vitest';
import { clientExchange } from '../../../../fuzz/gateway/client-exchange.js';
import { OctetRecorder, targetOf } from '../../../../fuzz/recorder/octet-recorder.js';
import { valuesIn } from '../../../../fuzz/recorder/strict-message.js';
import { startInProcess, testConfiguration, testUpstream } from '../../../support/gateway/in-process-gateway.js';
import { requestTricks } from '../../../support/gateway/smuggling/request-tricks.js';
import { it } from '../../../support/shared/fixtures.js';

/** For a body that never comes. */
const shortPatienceMs = 100;
const patienceMs = 20_000;

const statusesIn = (text: string): readonly number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status)).filter((status) => status >= 200);

describe('the gateway', () => {
  const recorder = new OctetRecorder();
  let port = 0;

  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    const upstreamPort = await recorder.listen();
    cleanUp.add(() => recorder.close());
    const configuration = testConfiguration([testUpstream(upstreamPort)]);
    const gateway = await startInProcess(configuration, { engineLimits: { lingerMs: 50 } });
    cleanUp.add(() => gateway.stop());
    port = gateway.address.port;
  });
  afterEach(() => recorder.forget());

  const send = (octets: string, patience = patienceMs) =>
    clientExchange(port, { parts: [Buffer.from(octets, 'latin1')], isOver: () => false, patienceMs: patience });

  const complete = () => recorder.requests().flatMap((request) => (request.isComplete ? targetOf(request) : []));
  const begun = () => recorder.requests().flatMap((request) => (request.isComplete ? [] : targetOf(request)));

  describe.each(requestTricks)('%s', (_, tricks) => {
    it.each(tricks)('handles $name ($source) as specified', async (trick) => {
      const { statuses, out } = trick;
      const { text, isClosed } = await send(trick.octets, statuses === null ? shortPatienceMs : patienceMs);
      expect(statusesIn(text)).toEqual(statuses ?? []);
      expect(isClosed).toBe(statuses !== null);
      expect(complete()).toEqual(out);
      const [first] = recorder.requests();
      if (trick.host !== undefined) expect(first && valuesIn(first.fields, 'host')).toEqual([trick.host]);
      // Only a request that never completes may have begun: the gateway may find a fault in its body after it sent
      // the head.
      expect(out.length > 0 ? [''] : ['', '/first']).toContain(begun().join());

      const probe = await send('GET /probe HTTP/1.1\r\nHost: other\r\nConnection: close\r\n\r\n');
      expect(statusesIn(probe.text)).toEqual([200]);
      expect(probe.text.endsWith('\r\n\r\nfor /probe')).toBe(true);
      expect(complete().filter((target) => target === '/probe')).toHaveLength(1);
      expect(complete()).not.toContain('/smuggled');
      expect(recorder.readings().flatMap(({ fault }) => fault ?? [])).toEqual([]);
      expect(recorder.requests().filter(({ hasExtensions }) => hasExtensions)).toEqual([]);
    });
  });
});
