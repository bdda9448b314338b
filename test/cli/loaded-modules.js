/** For `node --import`: writes the URLs of all modules that a program has loaded, in order, to the file LOADED_MODULES. */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { Server } from 'node:net';

const loaded = [];
const { listen } = Server.prototype;

Server.prototype.listen = function (...args) {
  loaded.push('listens');
  return listen.apply(this, args);
};

registerHooks({
  load: (url, context, nextLoad) => {
    loaded.push(url);
    return nextLoad(url, context);
  },
});

process.on('exit', () => writeFileSync(process.env.LOADED_MODULES, JSON.stringify(loaded)));
