const http = require('http');
const server = http.createServer((request, response) => response.end(`asked for ${request.url}`));
server.listen(0, '127.0.0.1', async () => {
  const answer = await fetch(`http://127.0.0.1:${server.address().port}/path`);
  console.log(answer.status, await answer.text());
  server.closeAllConnections();
  server.close();
});
