import { describe, expect, it } from 'vitest';
import { CancellationSource } from '../../../../../src/application/shared/cancellation/cancellation-source.js';
import { actorFields, ExchangeWorld, samlFields, seen } from '../../../../support/agent/fake-token-exchange.js';

const steps = ['authenticate', 'verify subject', 'verify actor', 'remember', 'sign'] as const;
const fields = { ...samlFields, ...actorFields };

describe.each(steps)('an exchange whose client goes away at the step: %s', (last) => {
  it('issues nothing, and goes no further', async () => {
    const world = new ExchangeWorld({ hasClient: true });
    const cancellation = new CancellationSource();
    const taken: string[] = [];
    world.before = (step) => {
      taken.push(step);
      if (step === last) cancellation.cancel();
    };
    const { status, body } = seen(await world.exchangeAsClient(fields, cancellation));
    expect(status).toBe(503);
    expect(body).not.toHaveProperty('access_token');
    expect(world.results).toEqual(['cancelled']);
    expect(taken).toEqual(steps.slice(0, steps.indexOf(last) + 1));
  });
});

describe.each(steps)('where this step fails in a way that nobody has thought of: %s', (last) => {
  it('the exchange fails, and says nothing of it', async () => {
    const world = new ExchangeWorld({ hasClient: true });
    world.before = (step) => {
      if (step === last) throw new TypeError('with the-token-of-ann in its text');
    };
    const { status, body } = seen(await world.exchangeAsClient(fields));
    expect({ status, error: body['error'] }).toEqual({ status: 500, error: 'server_error' });
    expect(world.results).toEqual(['signing_failed']);
    expect(world.logger.lines[0]?.fields['detail']).toBe('TypeError');
    expect(JSON.stringify(world.logger.lines)).not.toContain('the-token-of-ann');
  });
});

it('an exchange takes the steps in this order', async () => {
  const world = new ExchangeWorld({ hasClient: true });
  const taken: string[] = [];
  world.before = (step) => void taken.push(step);
  expect(seen(await world.exchangeAsClient(fields)).status).toBe(200);
  expect(taken).toEqual(steps);
});

it('an actor token is not looked at where the subject token is none', async () => {
  const world = new ExchangeWorld();
  const taken: string[] = [];
  world.before = (step) => void taken.push(step);
  await world.exchange({ ...actorFields, subject_token: 'a-forged-token' });
  expect(taken).toEqual(['verify subject']);
});
