import { expect, it } from 'vitest';
import { answerPlan, reasonToEnd } from '../../../fuzz/gateway/parted-answer.js';
import { chanceOf } from '../../../fuzz/inputs/seeded-random.js';
import { readNodeResponse } from '../../../fuzz/node/node-response-reader.js';

const whole = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

it.each([
  [whole, null],
  [`HTTP/1.1 103 Early Hints\r\n\r\n${whole}`, null],
  [whole.replace('1.1', '1.0').replace('OK\r\n', 'OK\r\nConnection: Keep-Alive\r\n'), null],
  ['', 'no response had come'],
  [whole.slice(0, -1), 'the response was not whole'],
  ['HTTP/1.1 200 OK\r\n\r\nok', 'the response had no other end than that of the connection'],
  [`${whole}H`, 'there were octets behind the response'],
  [`${whole}${whole}`, 'there were octets behind the response'],
  [whole.replace('OK\r\n', 'OK\r\nConnection: x, close\r\n'), 'the response had said that it was the last'],
  [whole.replace('1.1', '1.0'), 'the response had said that it was the last'],
])('tells of %j why its connection has to end', (sent, reason) => {
  expect(reasonToEnd(sent, 'GET')).toBe(reason);
});

it('cuts an answer into parts that are all of it', () => {
  for (let index = 0; index < 200; index += 1) {
    const { parts, delaysMs } = answerPlan(chanceOf(1, index), `${whole}surplus`, 'GET', true);
    expect(parts.join('')).toBe(`${whole}surplus`);
    expect(parts.every((part) => part !== '')).toBe(true);
    expect(delaysMs).toHaveLength(parts.length);
  }
});

it.each([
  [`${whole}more`, 'GET', { status: 200, body: 'ok', isComplete: true, end: whole.length }, null],
  [whole, 'HEAD', { status: 200, body: '', isComplete: true, end: whole.length - 2 }, null],
  ['HTTP/1.1 200 OK\r\n\r\nok', 'GET', { body: 'ok', isComplete: true, end: 21 }, null],
  [whole.slice(0, -1), 'GET', { body: 'o', isComplete: false }, null],
  ['HTTP/1.1 200 OK\r\nX : y\r\n\r\n', 'GET', null, 'HPE_INVALID_HEADER_TOKEN'],
])("has Node's client read %j to %s, and where it ends", async (text, method, response, fault) => {
  const reading = await readNodeResponse(Buffer.from(text, 'latin1'), method);
  expect(reading.fault).toBe(fault);
  if (response === null) expect(reading.response).toBeNull();
  else expect(reading.response).toMatchObject(response);
});
