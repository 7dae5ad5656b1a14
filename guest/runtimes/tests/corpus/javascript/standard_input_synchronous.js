// case: {"stdin": "all ü of it"}
const fs = require('fs');
console.log(fs.readFileSync(0, 'utf8'), fs.readFileSync('/dev/stdin', 'utf8') === '');
