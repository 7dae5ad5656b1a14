echo before
if then
