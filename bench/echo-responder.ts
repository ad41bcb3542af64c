// A keep-alive HTTP/1.1 responder with as little in it as will do: for machines without nginx.
// Arguments: a port, and the whole answer in base64.
import { createServer } from 'node:net';

const [port = '0', answerBase64 = ''] = process.argv.slice(2);
const answer = Buffer.from(answerBase64, 'base64');
const headEnd = '\r\n\r\n';

const server = createServer({ noDelay: true }, (socket) => {
  let rest = '';
  socket.on('data', (chunk) => {
    const text = rest + chunk.toString('latin1');
    let from = 0;
    for (let end = text.indexOf(headEnd); end >= 0; end = text.indexOf(headEnd, from)) {
      from = end + headEnd.length;
      socket.write(answer);
    }
    rest = text.slice(from);
  });
  socket.on('error', () => socket.destroy());
});
server.listen(Number(port), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
