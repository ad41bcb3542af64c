import {
  formLimits,
  type PostedFormLimits,
  PostedForms,
} from '../../../src/application/agent/agent-service/posted-forms.js';
import { chunkEvent, headersEvent } from '../shared/agent-events.js';
import { ManualClock } from '../shared/manual-clock.js';
import { ManualScheduler } from '../shared/manual-scheduler.js';

const text = (value: string) => new TextEncoder().encode(value);

/** A connection that forms come by, where a test does not care by which. */
export const one = Symbol('one');

/** Forms on a clock that is moved by hand, with the limits that are given in place of those in force. */
export const formsOf = (limits: Partial<PostedFormLimits> = {}, formOctets = 1_048_576) => {
  const scheduler = new ManualScheduler(new ManualClock());
  const forms = new PostedForms(scheduler, { ...formLimits, ...limits });
  const begin = (id: string, connection = one, clientIp = '192.0.2.7') => {
    const event = headersEvent(id, { method: 'POST' });
    const from = { ...event, metadata: { ...event.metadata, clientIp } };
    return forms.begin({ event: from, path: event.uri, formOctets, requested: null }, connection);
  };
  const take = (id: string, data: string | Uint8Array, isLast = false, connection = one) =>
    forms.take(chunkEvent(id, { data: typeof data === 'string' ? text(data) : data, isLast }), connection);
  return { forms, scheduler, begin, take };
};
