// case: {"environment": {"TZ": "Asia/Kolkata"}}
const date = new Date(1720000000000);
console.log(date.toString(), date.getTimezoneOffset(), date.toLocaleString(), Intl.DateTimeFormat().resolvedOptions().timeZone);
process.env.TZ = 'Europe/Oslo';
console.log(date.toString(), process.env.TZ);
delete process.env.TZ;
console.log(date.toString());
