import { connect } from 'node:net';
import { Duplex } from 'node:stream';

/** Long enough for a peer in this process to have read what was written. */
const afterTheyRead = (then: () => void): void => {
  setImmediate(() => setImmediate(() => setImmediate(then)));
};

/**
 * A connection to 127.0.0.1 on which `begin` goes out before anything else, in one piece with the first of it but for a
 * cut behind so many octets: what is on both sides of the cut is read apart, where the peer is in this process.
 */
export const begunConnection = (port: number, begin: Uint8Array, cut: number): Duplex => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let hasBegun = false;
  const duplex = new Duplex({
    read: () => void socket.resume(),
    write(piece: Buffer, _encoding, done): void {
      if (hasBegun) {
        socket.write(piece, () => done());
        return;
      }
      hasBegun = true;
      const whole = Buffer.concat([begin, piece]);
      socket.write(whole.subarray(0, cut), () => afterTheyRead(() => socket.write(whole.subarray(cut), () => done())));
    },
    final: (done) => void socket.end(() => done()),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  socket.on('data', (piece) => {
    if (!duplex.push(piece)) socket.pause();
  });
  socket.on('end', () => duplex.push(null));
  socket.on('error', (error) => duplex.destroy(error));
  return duplex;
};

/** What comes until the end of a connection. */
export const textUntilEnd = (connection: Duplex): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    connection.on('data', (piece: Buffer) => {
      text += piece.toString('latin1');
    });
    connection.on('error', reject);
    connection.on('end', () => resolve(text));
    connection.on('close', () => resolve(text));
  });
