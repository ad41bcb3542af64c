import { describe, expect } from 'vitest';
import { testSocketLayers } from '../../support/gateway/socket-layers.js';
import { serverOf } from '../../support/gateway/stream-socket-attacks.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';

describe('end with octets', () => {
  it('comes behind what was corked', async ({ cleanUp }) => {
    let text = '';
    let isEnded = false;
    const { port } = await serverOf(cleanUp, (socket) => {
      socket.on('data', (octets) => {
        text += octets.toString('latin1');
      });
      socket.on('end', () => {
        isEnded = true;
      });
    });
    const socket = testSocketLayers.current.connect({ host: '127.0.0.1', port }, () => true);
    socket.on('error', () => undefined);
    cleanUp.add(() => void socket.destroy());
    await new Promise<void>((resolve) => socket.on('connect', resolve));
    socket.cork();
    socket.write('first', 'latin1');
    socket.end(Buffer.from('second'));
    await eventually(() => isEnded);
    expect(text).toBe('firstsecond');
  });
});
