import { expect, it } from 'vitest';
import { AdminConnectionAdmissions } from '../../../../../src/application/gateway/admit/connection-admissions.js';
import { release, TestedRefusals } from '../../../../support/gateway/connection-admissions.js';

it('admits a thousand connections to the admin address at a time, from any peers', () => {
  const { refusals, logger } = new TestedRefusals();
  const admissions = new AdminConnectionAdmissions(refusals);
  const admitted = Array.from({ length: 1_000 }, () => admissions.admit('127.0.0.1'));
  expect(new Set(admitted.map(({ kind }) => kind))).toEqual(new Set(['admitted']));
  expect(admissions.admit('192.0.2.1').kind).toBe('refused');
  expect(logger.lines).toMatchObject([
    { fields: { limit: 1_000, limit_name: 'max-admin-connections', actual: 1_001 } },
  ]);
  for (const admission of admitted.slice(0, 1)) release(admission);
  expect(admissions.admit('192.0.2.1').kind).toBe('admitted');
  expect(admissions.admit('192.0.2.1').kind).toBe('refused');
});
