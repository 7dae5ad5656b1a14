// case: {"environment": {"HOME": "/tmp", "NODE_ENV": "production", "EMPTY": "", "ÜMLAUT": "wért 😀"}, "arguments": ["-r", "--require=x", "", "ü"]}
console.log(process.env, process.argv, process.execArgv, require('module').globalPaths, require('os').homedir());
