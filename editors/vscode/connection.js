'use strict';
// JSON-RPC 2.0 with the headers of the Language Server Protocol, over the standard streams of a process.
const {spawn} = require('child_process');

const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;

/** A message that the server answered with an error; `code` is the one of JSON-RPC. */
class ResponseError extends Error {
  constructor({code, message}) {
    super(message);
    this.code = code;
  }
}

class Connection {
  /**
   * Starts a program. `handlers` answers requests and notifications of the server by method, and `ended` is called once
   * when the process is gone, with the reason as a text.
   */
  constructor(command, args, handlers, ended) {
    this.handlers = handlers;
    this.waiting = new Map(); // by id: the functions that settle the promise of a request
    this.nextId = 1;
    this.input = Buffer.alloc(0);
    this.ended = ended;
    this.process = spawn(command, args, {stdio: ['pipe', 'pipe', 'inherit']});
    this.process.stdout.on('data', data => this.receive(data));
    this.process.stdin.on('error', () => {}); // the process ended, which `exit` reports
    this.process.on('error', error => this.end(error.message));
    this.process.on('exit', (code, signal) => this.end(signal ? `signal ${signal}` : `exit code ${code}`));
  }

  /** The result of a request. A cancelled `token` of the editor cancels it in the server too. */
  request(method, params, token) {
    if (!this.process) return Promise.reject(new Error('the server has ended'));
    const id = this.nextId++;
    const answer = new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject}));
    this.write({id, method, params});
    if (!token) return answer;
    const listener = token.onCancellationRequested(() => this.notify('$/cancelRequest', {id}));
    return answer.finally(() => listener.dispose());
  }

  notify(method, params) {
    this.write({method, params});
  }

  write(message) {
    if (!this.process) return;
    const body = Buffer.from(JSON.stringify({jsonrpc: '2.0', ...message}));
    this.process.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.process.stdin.write(body);
  }

  receive(data) {
    this.input = Buffer.concat([this.input, data]);
    for (;;) {
      const headers = this.input.indexOf('\r\n\r\n');
      if (headers < 0) return;
      const length = /^Content-Length: *(\d+)/im.exec(this.input.toString('latin1', 0, headers));
      if (!length) return this.stop();
      const end = headers + 4 + Number(length[1]);
      if (this.input.length < end) return;
      const message = JSON.parse(this.input.toString('utf8', headers + 4, end));
      this.input = this.input.subarray(end);
      if (message.method === undefined) this.settle(message);
      else this.answer(message);
    }
  }

  settle({id, result, error}) {
    const request = this.waiting.get(id);
    this.waiting.delete(id);
    if (!request) return;
    if (error) request.reject(new ResponseError(error));
    else request.resolve(result);
  }

  async answer({id, method, params}) {
    const handler = this.handlers[method];
    try {
      if (!handler && id !== undefined) throw new ResponseError({code: METHOD_NOT_FOUND, message: method});
      const result = handler && (await handler(params));
      if (id !== undefined) this.write({id, result: result === undefined ? null : result});
    } catch (error) {
      if (id !== undefined) this.write({id, error: {code: error.code || INTERNAL_ERROR, message: error.message}});
    }
  }

  /** Asks the server to end, and ends it after a second if it does not. */
  async close() {
    const child = this.process;
    if (!child) return;
    this.ended = () => {};
    const exit = new Promise(resolve => child.once('exit', resolve));
    const late = setTimeout(() => child.kill(), 1000);
    this.request('shutdown').then(() => this.notify('exit'), () => {});
    await exit;
    clearTimeout(late);
  }

  stop() {
    if (this.process) this.process.kill();
  }

  end(reason) {
    if (!this.process) return;
    this.process = undefined;
    for (const {reject} of this.waiting.values()) reject(new Error(reason));
    this.waiting.clear();
    this.ended(reason);
  }
}

module.exports = {Connection, ResponseError};
