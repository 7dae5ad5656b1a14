process.on('exit', (code) => console.log('exit', code));
setTimeout(() => {
  JSON.parse('{');
}, 1);
