import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ConnectionAdmissions } from '../../../../../src/application/gateway/admit/connection-admissions.js';
import { LocalPermitBook } from '../../../../../src/application/gateway/workers/share-permits/local-permits.js';
import { atOnce, release, TestedRefusals } from '../../../../support/gateway/connection-admissions.js';
import { plainLimits } from '../../../../support/gateway/plain-configurations.js';

const steps = fc.array(
  fc.record({
    comes: fc.boolean(),
    address: fc.constantFrom('192.0.2.1', '::ffff:192.0.2.1', '192.0.2.2', '2001:db8::1'),
    listener: fc.constantFrom('a', 'b'),
    which: fc.integer({ min: 0, max: 1_000 }),
    limits: fc.record({
      maxTotalConnections: fc.integer({ min: 1, max: 8 }),
      maxConnectionsPerClient: fc.integer({ min: 1, max: 4 }),
    }),
  }),
  { maxLength: 60 },
);

it('admits a connection exactly if a list of the open ones permits it, with any limits', () => {
  fc.assert(
    fc.property(steps, (sequence) => {
      let limits = { maxTotalConnections: 1, maxConnectionsPerClient: 1 };
      const { refusals } = new TestedRefusals();
      const book = new LocalPermitBook();
      const admissions = new ConnectionAdmissions(
        () => new Map(),
        book,
        () => null,
        refusals,
      );
      const standing: { readonly client: string; readonly end: () => void }[] = [];
      for (const step of sequence) {
        limits = step.limits;
        book.limit({ ...plainLimits, ...limits });
        if (step.comes) {
          const client = step.address.replace('::ffff:', '');
          const ofClient = standing.filter((one) => one.client === client).length;
          const isWanted = standing.length < limits.maxTotalConnections && ofClient < limits.maxConnectionsPerClient;
          const admission = atOnce(admissions.admit(step.listener, step.address));
          expect(admission.kind).toBe(isWanted ? 'admitted' : 'refused');
          if (isWanted) standing.push({ client, end: () => release(admission) });
        } else if (standing.length > 0) {
          standing.splice(step.which % standing.length, 1)[0]?.end();
        }
        expect(admissions.total).toBe(standing.length);
        expect(admissions.clients).toBe(new Set(standing.map(({ client }) => client)).size);
      }
    }),
    { numRuns: 200 },
  );
});
